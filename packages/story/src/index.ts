export { afterOf, drawPicture, type Picture, type PictureDiagnostic, readPicture, type Selection } from "./picture.js";
export { type Player, playStory, type StorySuggestion, type StoryView } from "./play.js";
export { drawStory, type Margin, readStory, type Story, type StorySettings, type StoryStep } from "./story.js";
export { readStoryFile, type TitledStory } from "./story-file.js";
