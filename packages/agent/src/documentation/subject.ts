import type { Node } from "web-tree-sitter";

/** A declaration that can have a comment, and what such a comment speaks of. */
export interface Subject {
	/** Empty where it has none. */
	readonly name: string;
	/** All of it, with the words that export it; decorators may stand before it. */
	readonly node: Node;
	/** Of which a language may have a docstring inside. */
	readonly body: Node | undefined;
	/** In the order in which they are written. */
	readonly topics: readonly Topic[];
}

/** Something that a comment says besides what its subject is. */
export interface Topic {
	readonly kind: TopicKind;
	/** Of a parameter, a type parameter or an error; empty for the others. */
	readonly name: string;
	/** How the language's convention writes the name, where that is more than the name. */
	readonly written?: string;
	/** The name is ours, because the parameter has none: somebody may have called it otherwise. */
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

/** How a language is documented: what can be, and how its comments are written. */
export interface DocumentedLanguage {
	/** Undefined for what has no comment of its own. */
	subjectOf(node: Node): Subject | undefined;
	/** Stands between a comment and what it is about: decorators, attributes, directives. */
	isAttribute(node: Node): boolean;
	readonly form: CommentForm;
}

/** How comments are written. Lines are without indentation. */
export interface CommentForm {
	readonly place: "above" | "inside";
	/** Whether a comment above something is meant to document it. */
	isDocumentation(comment: string): boolean;
	/** A new comment. */
	linesOf(subject: Subject, say: TopicText): string[];
	/** Whether a comment speaks of a parameter. */
	mentions(comment: string, topic: Topic, subject: Subject): boolean;
	/** The lines of a comment that speaks of these parameters, too, and says all that it said; undefined where it cannot. */
	withTopics(
		lines: readonly string[],
		topics: readonly Topic[],
		subject: Subject,
		say: TopicText,
	): string[] | undefined;
}

/** What is said of a topic, or, without one, what is said of the subject itself. */
export type TopicText = (topic?: Topic) => string;

/** The name by which a topic is asked for. */
export function keyOf({ kind, name }: Topic): string {
	return name === "" ? kind : `${kind} ${name}`;
}

/** All nodes in a part of the tree, without those in nodes of some types, which are told of themselves. */
export function* nodesIn(node: Node, closed: ReadonlySet<string>): Generator<Node, void, undefined> {
	for (const child of node.namedChildren) {
		yield child;
		if (!closed.has(child.type)) yield* nodesIn(child, closed);
	}
}

/** One topic for each name, in the order of their first places. */
export function topicsNamed(kind: TopicKind, names: Iterable<string>): Topic[] {
	return [...new Set(names)].map((name) => ({ kind, name }));
}

/** Whether something is thrown where its function catches what is thrown. */
export function isCaught(thrown: Node, body: Node, handlers: ReadonlySet<string>): boolean {
	let inner = thrown;
	for (let node = thrown.parent; node !== null && node.id !== body.id; node = node.parent) {
		const isTried = node.childForFieldName("body")?.id === inner.id;
		if (isTried && node.namedChildren.some(({ type }) => handlers.has(type))) return true;
		inner = node;
	}
	return false;
}

/** What is between the angle brackets of a declaration. */
export function typeParametersOf(node: Node): readonly Node[] {
	return node.childForFieldName("type_parameters")?.namedChildren ?? [];
}
