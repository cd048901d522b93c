/** What a push takes, loaded in one with the first message: it costs 50 ms and more, and often there is nobody to send to. */
export { deliver } from "../../push/deliver.ts";
export { withKeys } from "./pushKeys.ts";
