import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A validator from any library that follows Standard Schema. Must be synchronous. */
export type Schema<T> = StandardSchemaV1<unknown, T>;

/** The sender of a message: the editor (`client`), the agent, or either. */
export type From = "client" | "agent" | "either";

/** A protocol's request as one value: its method, sender, params and result. */
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

/** The params of a message. */
export type ParamsOf<Message extends { readonly params: Schema<unknown> }> =
	Message["params"] extends Schema<infer Params> ? Params : never;

/** The result of a request. */
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

/** A request's context, passed to its handler. */
export interface Call {
	/** Aborted when the request is cancelled or the connection closes. */
	readonly signal: AbortSignal;
	/**
	 * Runs a callback right after the response is sent, unless the response is an error. For messages that make sense
	 * to the peer only after it has received the response.
	 */
	afterwards(run: () => void): void;
}

/** The handler for a message, created by `on`. */
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
 * Creates the handler for a message. The part of a request's handler before its first `await` runs before the next
 * message is dispatched. A notification's handler must be synchronous: one that returns a promise does not type-check,
 * because it would not be awaited and messages could get out of order.
 *
 * When the peer ends its output, requests that it has already sent are still answered. With `isTalk`, a request is
 * cancelled instead, because it makes sense only while the peer can send more.
 */
export function on<Params, Result, Sender extends From>(
	message: Request<Params, Result, Sender>,
	handle: (params: Params, call: Call) => Result | Promise<Result>,
	options?: { readonly isTalk: boolean },
): Handler<Sender>;
export function on<Params, Sender extends From>(
	message: Notification<Params, Sender>,
	// A plain `void` would accept any return value, but the union accepts none.
	handle: (params: Params) => void | undefined,
): Handler<Sender>;
export function on(message: unknown, handle: unknown, options?: { readonly isTalk: boolean }): Handler<From> {
	return { message, handle, ...options } as Handler<From>;
}

/** Validates a value. The error names the invalid field and never contains its content. */
export function check<T>(schema: Schema<T>, value: unknown): { value: T } | { wrong: string } {
	const issues = validate(schema, value);
	if ("value" in issues) return issues;
	const [issue] = issues;
	if (issue === undefined) return { wrong: "params: cannot be validated" };
	const path = (issue.path ?? []).map((step) => (typeof step === "object" ? step.key : step));
	return { wrong: `${printPath(path)}: expected ${expectedBy(issue)}, got ${kindOf(valueAt(value, path))}` };
}

/**
 * Returns an empty list of issues if the schema throws or is asynchronous. Some validators behave like this for
 * unexpected values, which must not break the connection.
 */
function validate<T>(schema: Schema<T>, value: unknown): { value: T } | readonly StandardSchemaV1.Issue[] {
	try {
		const result = schema["~standard"].validate(value);
		if (!(result instanceof Promise)) return result.issues ?? result;
		result.catch(() => {});
	} catch {}
	return [];
}

/**
 * Describes what the schema expects, using the properties that common libraries provide. Uses only the schema, not the
 * message.
 */
function expectedBy(issue: StandardSchemaV1.Issue): string {
	const { expected, values, minimum, maximum, format } = issue as unknown as Record<string, unknown>;
	if (typeof expected === "string") return expected;
	if (Array.isArray(values)) return values.map((one) => JSON.stringify(one)).join(" or ");
	if (minimum !== undefined) return `at least ${minimum}`;
	if (maximum !== undefined) return `at most ${maximum}`;
	return typeof format === "string" ? `the format ${format}` : "another value";
}

/** Keys in a map come from the peer, so keys that cannot be field names are not shown. */
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
