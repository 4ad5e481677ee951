import fc from "fast-check";
import { expect, test } from "vitest";
import { type Stretch, Stretches } from "./stretches.js";

function move({ from, to }: Stretch, by: number): Stretch {
	return { from: from + by, to: to + by };
}

/** Stretches of a few characters with gaps between them, from an offset on. */
function lay(sizes: readonly (readonly [number, number])[], start: number): Stretch[] {
	let at = start;
	return sizes.map(([gap, length]) => {
		const from = at + gap;
		at = from + length;
		return { from, to: at };
	});
}

test("is after every splice what a list would be that was copied and moved item by item", () => {
	const someSizes = (maxLength: number) => fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 5 })), { maxLength });
	const someSplice = fc.tuple(fc.nat(), fc.nat(4), someSizes(3), fc.nat(9));
	fc.assert(
		fc.property(someSizes(40), fc.array(someSplice, { maxLength: 60, size: "max" }), (sizes, splices) => {
			let model = lay(sizes, 0);
			let stretches = Stretches.of(model, move);
			for (const [where, removed, added, grown] of splices) {
				const kept = where % (model.length + 1);
				const next = Math.min(kept + removed, model.length);
				const start = model[kept - 1]?.to ?? 0;
				const others = lay(added, start);
				const rest = model[next];
				const by = rest === undefined ? 0 : (others.at(-1)?.to ?? start) + grown - rest.from;
				model = [...model.slice(0, kept), ...others, ...model.slice(next).map((one) => move(one, by))];
				stretches = stretches.splice(kept, others, next, by);

				expect(stretches.toArray()).toEqual(model);
				expect(stretches.length).toBe(model.length);
				for (let i = 0; i <= model.length; i++) {
					const moved = stretches.at(i);
					expect(moved && move(moved.item, moved.by)).toEqual(model[i]);
				}
				for (let offset = 0; offset <= (model.at(-1)?.to ?? 0) + 1; offset++) {
					const index = model.findIndex(({ to }) => to > offset);
					expect(stretches.firstBeyond(offset)).toBe(index === -1 ? model.length : index);
				}
			}
		}),
		{ numRuns: 30 },
	);
});
