/** A mutant is to be found, not to be understood: random tests end at the first case that fails. */
import fc from "fast-check";

fc.configureGlobal({ endOnFailure: true });
