/** Property tests end at the first failing case: a mutant needs no shrunk counterexample. */
import fc from "fast-check";

fc.configureGlobal({ endOnFailure: true });
