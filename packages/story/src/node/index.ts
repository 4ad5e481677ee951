export { updateStory } from "./update.js";
