export { diskFiles, resolvedFiles } from "./disk-files.js";
export { openReal } from "./open-real.js";
export { FileVersions, type RangedFile } from "./ranged-file.js";
