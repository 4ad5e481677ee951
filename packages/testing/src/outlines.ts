/** For the tests of packages that may not know the agent. */
export { outlineHere } from "@segue/agent/node/outline-here";
