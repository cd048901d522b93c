/** What the whole web app needs of responses: the pages that are loaded later add theirs when they are imported. */
import "../../web/src/player/seasons/needs.ts";
import "../../web/src/staff/needs.ts";

export { NEEDS } from "../../web/src/state/shapes.ts";
