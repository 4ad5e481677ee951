import type { Node } from "web-tree-sitter";

/** A declaration that can have a comment, and the topics of the comment. */
export interface Subject {
	/** Empty if the declaration has no name. */
	readonly name: string;
	/** The whole declaration with its export keywords. Decorators may precede it. */
	readonly node: Node;
	/** The body, for languages with docstrings. */
	readonly body: Node | undefined;
	/** In the order in which the comment lists them. */
	readonly topics: readonly Topic[];
}

/** A part of a comment other than the summary. */
export interface Topic {
	readonly kind: TopicKind;
	/** The name of a parameter, a type parameter or an error; empty for other kinds. */
	readonly name: string;
	/** The name as written in this language's doc comments, if that differs from the plain name. */
	readonly written?: string;
	/** The parameter has no name, so this name is made up. An existing comment may use a different one. */
	readonly isInvented?: boolean;
}

export type TopicKind =
	| "type-parameter"
	| "parameter"
	| "yields"
	| "returns"
	| "throws"
	| "error"
	| "panics"
	| "safety";

/** The documentation conventions of a language. */
export interface DocumentedLanguage {
	/** Returns undefined for nodes that don't have comments. */
	subjectOf(node: Node): Subject | undefined;
	/** Whether a node may appear between a comment and its declaration: a decorator, attribute or directive. */
	isAttribute(node: Node): boolean;
	readonly form: CommentForm;
}

/** The format of comments. Lines have no indentation. */
export interface CommentForm {
	readonly place: "above" | "inside";
	/** Whether a comment above a declaration documents it. */
	isDocumentation(comment: string): boolean;
	/** Returns the lines of a new comment. */
	linesOf(subject: Subject, say: TopicText): string[];
	/** Whether a comment documents a parameter. */
	mentions(comment: string, topic: Topic, subject: Subject): boolean;
	/** Adds parameters to the lines of an existing comment. Returns undefined if that is not possible. */
	withTopics(
		lines: readonly string[],
		topics: readonly Topic[],
		subject: Subject,
		say: TopicText,
	): string[] | undefined;
}

/** Returns the description of a topic or, without a topic, the summary. */
export type TopicText = (topic?: Topic) => string;

/** The key of a topic in `Draft.blanks`. */
export function keyOf({ kind, name }: Topic): string {
	return name === "" ? kind : `${kind} ${name}`;
}

/** Yields all nodes in a subtree, without descending into nodes of the types in `closed`. */
export function* nodesIn(node: Node, closed: ReadonlySet<string>): Generator<Node, void, undefined> {
	for (const child of node.namedChildren) {
		yield child;
		if (!closed.has(child.type)) yield* nodesIn(child, closed);
	}
}

/** Returns one topic for each distinct name. */
export function topicsNamed(kind: TopicKind, names: Iterable<string>): Topic[] {
	return [...new Set(names)].map((name) => ({ kind, name }));
}

/** Whether a throw statement is inside a `try` with a handler in the same function. */
export function isCaught(thrown: Node, body: Node, handlers: ReadonlySet<string>): boolean {
	let inner = thrown;
	for (let node = thrown.parent; node !== null && node.id !== body.id; node = node.parent) {
		const isTried = node.childForFieldName("body")?.id === inner.id;
		if (isTried && node.namedChildren.some(({ type }) => handlers.has(type))) return true;
		inner = node;
	}
	return false;
}

export function typeParametersOf(node: Node): readonly Node[] {
	return node.childForFieldName("type_parameters")?.namedChildren ?? [];
}
