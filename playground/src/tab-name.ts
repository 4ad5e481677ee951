/** What each of some paths is called among the others: its file's name, with as many of its folders as tell it apart. */
export function tabNames(paths: readonly string[]): readonly string[] {
	return paths.map((path) => {
		const names = path.split("/");
		for (let count = 1; count < names.length; count++) {
			const name = names.slice(-count).join("/");
			const isShared = paths.some((other) => other !== path && (other === name || other.endsWith(`/${name}`)));
			if (!isShared) return name;
		}
		return path;
	});
}
