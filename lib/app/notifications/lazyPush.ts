/** The code that sends pushes, as one module to import on demand: loading takes 50 ms or more, most runs send none. */
export { deliver } from "../../push/deliver.ts";
export { sendWebhook } from "../../push/webhook.ts";
export { withVapidKeys } from "./pushKeys.ts";
