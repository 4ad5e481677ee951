/**
 * A first-in, first-out queue. `Array.shift` moves every element of a large array, but this moves each element at most
 * twice.
 */
export class Queue<T> {
	private items: T[] = [];
	private head = 0;

	get size(): number {
		return this.items.length - this.head;
	}

	push(item: T): void {
		this.items.push(item);
	}

	/** Returns the oldest item, or undefined if the queue is empty. */
	peek(): T | undefined {
		return this.items[this.head];
	}

	/** Removes and returns the oldest item, or undefined if the queue is empty. */
	shift(): T | undefined {
		if (this.head === this.items.length) return undefined;
		const item = this.items[this.head++];
		if (2 * this.head >= this.items.length) {
			this.items = this.items.slice(this.head);
			this.head = 0;
		}
		return item;
	}

	clear(): void {
		this.items = [];
		this.head = 0;
	}

	/** Iterates from the oldest item. */
	*[Symbol.iterator](): Generator<T> {
		for (let i = this.head; i < this.items.length; i++) yield this.items[i] as T;
	}
}
