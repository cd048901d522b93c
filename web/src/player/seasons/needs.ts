/** What the pages of past seasons need of the responses that they read. */
import type { Season, SeasonRecap } from "../../schemas.ts";
import { list, NEEDS, number, optional, shape, text, time } from "../../state/shapes.ts";

const own = shape<NonNullable<Season["own"]>>({ state: text, kills: number });
const season = {
  season_id: text,
  name: text,
  started_at: optional(time),
  ended_at: time,
  own: optional(own),
};

Object.assign(NEEDS, {
  "/seasons": shape({ seasons: list(shape<Season>(season)) }),
  "/seasons/{season_id}": shape<SeasonRecap>({
    ...season,
    curve: list(shape({ from: time })),
    tree: list(shape({ alias: optional(text), parent: optional(number), infected_at: time, kills: number })),
    board: list(shape({ alias: optional(text), state: text, kills: number })),
    missions: list(shape({ title: text, result: text, starts_at: time })),
    awards: shape<SeasonRecap["awards"]>({ given: list(shape({ title: text, text })) }),
  }),
});
