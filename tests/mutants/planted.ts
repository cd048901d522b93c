/** Every planted bug. */
import type { Bug } from "./bug.ts";
import { AUTH } from "./planted/auth.ts";
import { HTTP } from "./planted/http.ts";
import { PICTURES } from "./planted/pictures.ts";
import { PUSH } from "./planted/push.ts";
import { RULES } from "./planted/rules.ts";
import { RUNNING } from "./planted/running.ts";
import { STORE } from "./planted/store.ts";

export const PLANTED: readonly Bug[] = [
  ...RULES,
  ...AUTH,
  ...STORE,
  ...HTTP,
  ...PUSH,
  ...RUNNING,
  ...PICTURES,
];
