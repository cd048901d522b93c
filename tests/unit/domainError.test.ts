/** Domain errors. */
import { expect, it } from "vitest";
import { invalid } from "../../lib/domain/domainError.ts";

it("lists every validation issue with its path, in sentences", () => {
  const error = invalid({ path: "alias", message: "is too short" }, { path: "", message: "the body is odd" });
  expect(error.code).toBe("invalid_request");
  expect(error.detail).toBe("The alias is too short. The body is odd.");
  expect(error.issues).toEqual([
    { path: "alias", message: "The alias is too short." },
    { path: "", message: "The body is odd." },
  ]);
});
