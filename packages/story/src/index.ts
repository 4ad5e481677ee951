export { afterOf, type Diagnostic, drawPicture, type Picture, readPicture, type Selection } from "./picture.js";
export { type Outcome, type Player, playStory, type View } from "./play.js";
export { drawStory, type Margin, readStory, type Settings, type Step, type Story } from "./story.js";
export { readStoryFile, type TitledStory } from "./story-file.js";
