/** Stores the recorded calls after each test file. */
import { afterAll, expect, inject } from "vitest";
import { recordFile } from "./calls.ts";

afterAll(() => recordFile(inject("run"), expect.getState().testPath ?? ""));
