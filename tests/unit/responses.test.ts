/** Responses to errors: without the message of an unexpected error. */
import { expect, it } from "vitest";
import { errorResponse, HttpError } from "../../lib/http/responses.ts";

const ID = "a request";

it.each([new Error("raw message"), "raw message", null, undefined, { status: 200 }])(
  "an unexpected error is 500, whatever was thrown: %s",
  (thrown) => {
    for (const form of ["problem", "text"] as const) {
      const { statusCode, body } = errorResponse(thrown, form, ID);
      expect(statusCode).toBe(500);
      expect(body).toContain("An unexpected error occurred. It has been logged.");
      expect(body).not.toContain("raw message");
    }
  },
);

it("an HttpError is its own sentence, without its cause", () => {
  const error = new HttpError(403, "The player could not be looked up.", new Error("raw message"));
  const { statusCode, body } = errorResponse(error, "text", ID);
  expect([statusCode, body]).toEqual([403, "The player could not be looked up."]);
});
