/** The statuses of the error codes that a request can cause: all but that of an unavailable service. */
import { STATUS } from "../../lib/http/statuses.ts";

const { unavailable: _fault, ...caused } = STATUS;

export const STATUS_OF = caused;
