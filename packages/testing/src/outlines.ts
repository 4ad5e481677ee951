/** For the tests of packages that may not know the server. */
export { outlineHere } from "@segue/server";
