/** The wire to the database at its worst, at each request of the game masters' endpoints; then they ask again. */
import { MASTERS } from "./faults/masters.ts";
import { playScenesOnTheWire } from "./faults/wireScenes.ts";

playScenesOnTheWire("faults, on the game masters' wire", MASTERS, 1_740);
