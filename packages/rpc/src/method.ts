import type { StandardSchemaV1 } from "@standard-schema/spec";

/** Checks and converts an unknown value, by any library that follows Standard Schema; here, only synchronously. */
export type Schema<T> = StandardSchemaV1<unknown, T>;

/** The side that sends a message: the editor's (`client`), the agent's, or either. */
export type From = "client" | "agent" | "either";

/** A request of a protocol, as one value: its name, who sends it, what it carries and what it is answered with. */
export interface Request<Params, Result, Sender extends From> {
	readonly kind: "request";
	readonly method: string;
	readonly from: Sender;
	readonly params: Schema<Params>;
	readonly result: Schema<Result>;
}

export interface Notification<Params, Sender extends From> {
	readonly kind: "notification";
	readonly method: string;
	readonly from: Sender;
	readonly params: Schema<Params>;
}

/** What a message carries, as its sender writes it and its handler gets it. */
export type ParamsOf<Message extends { readonly params: Schema<unknown> }> =
	Message["params"] extends Schema<infer Params> ? Params : never;

/** What a request is answered with. */
export type ResultOf<Message extends { readonly result: Schema<unknown> }> =
	Message["result"] extends Schema<infer Result> ? Result : never;

export function request<Params, Result, Sender extends From>(
	message: Omit<Request<Params, Result, Sender>, "kind">,
): Request<Params, Result, Sender> {
	return { kind: "request", ...message };
}

export function notification<Params, Sender extends From>(
	message: Omit<Notification<Params, Sender>, "kind">,
): Notification<Params, Sender> {
	return { kind: "notification", ...message };
}

/** What a handler of a request may know beside the params. */
export interface Call {
	/** Aborted when the request is cancelled or the connection closes. */
	readonly signal: AbortSignal;
	/**
	 * Runs right behind the answer, if there is one and it is no error: for what makes sense to the other side only when it
	 * has the answer.
	 */
	afterwards(run: () => void): void;
}

/** What a peer does with one message; made by `on`. */
export type Handler<Sender extends From> =
	| {
			readonly message: Request<unknown, unknown, Sender>;
			readonly handle: (params: unknown, call: Call) => unknown;
			readonly isTalk?: boolean;
	  }
	| {
			readonly message: Notification<unknown, Sender>;
			readonly handle: (params: unknown) => void;
			readonly isTalk?: undefined;
	  };

/**
 * Says what to do with a message. The part of a request's handler before its first `await` runs before the next message
 * is looked at. A notification's handler is synchronous altogether: one that returns a promise does not type-check,
 * because nobody would wait for it and the order of messages would be lost.
 *
 * A request that was made before the other side ended its output is still answered. One that is a talk makes sense only
 * while the other side can say something, and is cancelled then.
 */
export function on<Params, Result, Sender extends From>(
	message: Request<Params, Result, Sender>,
	handle: (params: Params, call: Call) => Result | Promise<Result>,
	options?: { readonly isTalk: boolean },
): Handler<Sender>;
export function on<Params, Sender extends From>(
	message: Notification<Params, Sender>,
	// A plain `void` would accept any return value; the union accepts none.
	handle: (params: Params) => void | undefined,
): Handler<Sender>;
export function on(message: unknown, handle: unknown, options?: { readonly isTalk: boolean }): Handler<From> {
	return { message, handle, ...options } as Handler<From>;
}

/** Checks a value; the error text names the field that is wrong and never what stood in it. */
export function check<T>(schema: Schema<T>, value: unknown): { value: T } | { wrong: string } {
	const issues = validate(schema, value);
	if ("value" in issues) return issues;
	const [issue] = issues;
	if (issue === undefined) return { wrong: "params: cannot be checked" };
	const path = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
	return { wrong: `${printPath(path)}: expected ${expectedBy(issue)}, got ${kindOf(valueAt(value, path))}` };
}

/**
 * A schema that throws, or that answers later, must not take the connection down with it: a few validators do either on
 * values that nobody thought of. Then there is no issue to name.
 */
function validate<T>(schema: Schema<T>, value: unknown): { value: T } | readonly StandardSchemaV1.Issue[] {
	try {
		const result = schema["~standard"].validate(value);
		if (!(result instanceof Promise)) return result.issues ?? result;
		result.catch(() => {});
	} catch {}
	return [];
}

/** What a schema asks for, as far as the usual libraries tell. All of it is in the schema, nothing in the message. */
function expectedBy(issue: StandardSchemaV1.Issue): string {
	const { expected, values, minimum, maximum, format } = issue as unknown as Record<string, unknown>;
	if (typeof expected === "string") return expected;
	if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(" or ");
	if (minimum !== undefined) return `at least ${minimum}`;
	if (maximum !== undefined) return `at most ${maximum}`;
	return typeof format === "string" ? `the format ${format}` : "another value";
}

/** Keys of a map come from the other side. One that could not be the name of a field is not shown. */
const FIELD = /^[A-Za-z_$][\w$]{0,63}$/;

function printPath(path: readonly PropertyKey[]): string {
	let printed = "params";
	for (const step of path) {
		if (typeof step === "number") printed += `[${step}]`;
		else printed += FIELD.test(String(step)) ? `.${String(step)}` : "[…]";
	}
	return printed;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown> | undefined)?.[step], value);
}

function kindOf(value: unknown): string {
	if (value === undefined) return "nothing";
	if (value === null) return "null";
	return Array.isArray(value) ? "array" : typeof value;
}
