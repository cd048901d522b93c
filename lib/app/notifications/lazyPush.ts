/** The code that sends pushes, imported lazily as one module: loading it takes 50 ms or more, and most runs send nothing. */
export { deliver } from "../../push/deliver.ts";
export { sendWebhook } from "../../push/webhook.ts";
export { withVapidKeys } from "./pushKeys.ts";
