import type { CompiledQuery } from "kysely";

/** A query that is built once and run often, each time with other values: to build it takes as long as to run it. */
export class PreparedQuery<Row, Name extends string> {
	/** Built with what `hole` returns where the values will be. */
	constructor(private readonly query: CompiledQuery<Row>) {}

	with(values: Readonly<Record<Name, unknown>>): CompiledQuery<Row> {
		const fill = (parameter: unknown) => (parameter instanceof Hole ? values[parameter.name as Name] : parameter);
		return { ...this.query, parameters: this.query.parameters.map(fill) };
	}
}

/** Takes the place of a value, of whatever type the query has there. */
export function hole<Value>(name: string): Value {
	return new Hole(name) as Value;
}

class Hole {
	constructor(readonly name: string) {}
}
