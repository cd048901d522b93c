/** The statuses of the errors that a request can cause; not those of a fault of the service. */
import { STATUS } from "../../lib/http/statuses.ts";

const { unavailable: _fault, ...caused } = STATUS;

export const STATUS_OF = caused;
