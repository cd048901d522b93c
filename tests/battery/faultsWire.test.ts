/** The wire to the database at its worst, at each request of the players' endpoints; then whoever asked asks again. */
import { ACCOUNTS } from "./faults/accounts.ts";
import { playScenesOnTheWire } from "./faults/wireScenes.ts";

playScenesOnTheWire("faults, on the players' wire", ACCOUNTS, 1_230);
