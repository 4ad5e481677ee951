// Logistic regression on binary inputs, solved with Newton's method. Terms are summed in a fixed order, so the same
// rows give exactly the same weights.

/** A training example. `inputs` are the indices of its inputs, in ascending order. */
export interface TrainingRow {
	readonly inputs: Int32Array;
	readonly isRight: boolean;
}

// L2 penalty on the weights. A smaller penalty overfits: in leave-one-repository-out evaluation, the most confident
// predictions are right less often than predicted.
const RIDGE = 150;
// Each Newton step doubles the number of correct digits. Starting from weights of 0, it takes about eight steps.
const STEPS_MAX = 12;
const STEP_MIN = 1e-6;

/** Returns the weights with the highest penalized likelihood. A `start` close to the solution saves steps. */
export function regress(rows: readonly TrainingRow[], count: number, start?: Float64Array): Float64Array {
	const weights = start === undefined ? new Float64Array(count) : start.slice();
	for (let step = 0; step < STEPS_MAX; step++) {
		const { gradient, curvature } = slopeAt(weights, rows);
		const change = solve(curvature, gradient);
		let largest = 0;
		for (let i = 0; i < count; i++) {
			weights[i] = (weights[i] as number) - (change[i] as number);
			largest = Math.max(largest, Math.abs(change[i] as number));
		}
		if (largest < STEP_MIN) break;
	}
	return weights;
}

/** Returns the predicted log-odds that a row is right. */
export function oddsOf(weights: Float64Array, { inputs }: Pick<TrainingRow, "inputs">): number {
	let odds = 0;
	for (const input of inputs) odds += weights[input] as number;
	return odds;
}

/** Returns the predicted probability that a row is right. */
export function chanceOf(weights: Float64Array, row: Pick<TrainingRow, "inputs">): number {
	return 1 / (1 + Math.exp(-oddsOf(weights, row)));
}

/**
 * Returns the gradient and Hessian of the objective. Only the lower triangle of the Hessian is filled in, in row-major
 * order.
 */
function slopeAt(
	weights: Float64Array,
	rows: readonly TrainingRow[],
): { gradient: Float64Array; curvature: Float64Array } {
	const count = weights.length;
	const gradient = new Float64Array(count);
	const curvature = new Float64Array(count * count);
	for (const row of rows) {
		const { inputs } = row;
		const chance = chanceOf(weights, row);
		const error = chance - (row.isRight ? 1 : 0);
		const spread = chance * (1 - chance);
		for (let a = 0; a < inputs.length; a++) {
			const input = inputs[a] as number;
			gradient[input] = (gradient[input] as number) + error;
			const start = input * count;
			for (let b = 0; b <= a; b++) {
				const at = start + (inputs[b] as number);
				curvature[at] = (curvature[at] as number) + spread;
			}
		}
	}
	for (let i = 0; i < count; i++) {
		gradient[i] = (gradient[i] as number) + RIDGE * (weights[i] as number);
		curvature[i * count + i] = (curvature[i * count + i] as number) + RIDGE;
	}
	return { gradient, curvature };
}

/** Solves a positive definite system by Cholesky decomposition. Overwrites the matrix. */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
	const count = right.length;
	const at = (row: number, column: number) => matrix[row * count + column] as number;
	for (let j = 0; j < count; j++) {
		let diagonal = at(j, j);
		for (let k = 0; k < j; k++) diagonal -= at(j, k) ** 2;
		diagonal = Math.sqrt(diagonal);
		matrix[j * count + j] = diagonal;
		for (let i = j + 1; i < count; i++) {
			let value = at(i, j);
			for (let k = 0; k < j; k++) value -= at(i, k) * at(j, k);
			matrix[i * count + j] = value / diagonal;
		}
	}
	const result = right.slice();
	for (let i = 0; i < count; i++) {
		let value = result[i] as number;
		for (let k = 0; k < i; k++) value -= at(i, k) * (result[k] as number);
		result[i] = value / at(i, i);
	}
	for (let i = count - 1; i >= 0; i--) {
		let value = result[i] as number;
		for (let k = i + 1; k < count; k++) value -= at(k, i) * (result[k] as number);
		result[i] = value / at(i, i);
	}
	return result;
}
