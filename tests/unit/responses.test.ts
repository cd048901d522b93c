/** Replies to what went wrong: in the form that each module has, and with no word of what broke. */
import { expect, it } from "vitest";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { errorReply, HttpError } from "../../lib/http/responses.ts";

const ID = "a request";

it("to a database that is busy is 503 and says when to come again, and 500 in plain text, where there is no 503", () => {
  const busy = new DatabaseBusy("innermost words");
  const problem = errorReply(busy, "problem", ID);
  expect(problem.statusCode).toBe(503);
  expect(problem.headers).toMatchObject({
    "content-type": "application/problem+json; charset=utf-8",
    "retry-after": "2",
  });
  expect(JSON.parse(problem.body ?? "")).toMatchObject({ code: "unavailable", status: 503, request_id: ID });
  const text = errorReply(busy, "text", ID);
  expect(text.statusCode).toBe(500);
  expect(text.headers).toMatchObject({ "content-type": "text/plain; charset=utf-8", "retry-after": "2" });
  for (const { body } of [problem, text]) expect(body).not.toContain("innermost");
});

it.each([new Error("innermost words"), "innermost words", null, undefined, { status: 200 }])(
  "to a fault is 500, whatever was thrown: %s",
  (thrown) => {
    for (const form of ["problem", "text"] as const) {
      const { statusCode, body } = errorReply(thrown, form, ID);
      expect(statusCode).toBe(500);
      expect(body).toContain("Something broke on our side. It has been logged.");
      expect(body).not.toContain("innermost");
    }
  },
);

it("to a fault told in the service's own sentence is that sentence", () => {
  const failure = new HttpError(403, "The player could not be looked up.", new Error("innermost words"));
  const { statusCode, body } = errorReply(failure, "text", ID);
  expect([statusCode, body]).toEqual([403, "The player could not be looked up."]);
});
