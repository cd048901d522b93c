/** Measures the recap of a season in which everybody became a zombie and wants to be named: what it takes to store and to read. */
import { keys } from "../../lib/store/keys.ts";
import { readPastNames } from "../../lib/store/seasons/recaps.ts";
import { fill } from "../../tests/support/table.ts";
import { sizeOfItem } from "../scale/sizes.ts";
import { PASSWORD } from "../support/game.ts";
import type { Fixture } from "../support/players.ts";
import { atMost, type Row, type Target } from "../support/report.ts";

/** Far less than an item (400 KB) and a transaction (4 MB, 100 writes) of DynamoDB and a response of Lambda (6 MB) may have. */
const MOST = { item: 320_000, transaction: 2_000_000, writes: 50, response: 3_000_000 };

/** Finishes the season, and begins a new one. The recap is read before, when it is made for it, and after. */
export const measureRecap = async ({
  game,
  gm,
  players,
}: Fixture): Promise<{ row: Row; targets: Target[] }> => {
  const { store } = game.services;
  await fill(
    game.place,
    players.map(({ player_id: id, alias }) => ({ ...keys.pastName(id), alias })),
  );
  await game.call("POST /admin/finish_season/{url_id}", {
    as: gm,
    body: { result: "none", grace_seconds: 0 },
  });
  const { finish, settings } = await store.game();
  const id = finish?.season_id ?? "";
  let bytes = 0;
  const read = () =>
    game.measure(async () => {
      const recap = await game.call("GET /seasons/{season_id}", { as: gm, id });
      bytes = Math.max(bytes, Buffer.byteLength(JSON.stringify(recap)));
      if (recap.tree.length < players.length) throw new Error("the tree lacks players");
    });
  const present = await read();
  const started = performance.now();
  const reset = await game.measure(async () => {
    const body = { name: settings.name, password: PASSWORD };
    const { complete } = await game.call("POST /admin/reset_season/{url_id}", { as: gm, body });
    if (complete !== true) throw new Error("the new season did not begin");
  });
  const seconds = (performance.now() - started) / 1_000;
  const past = await read();
  const named = await readPastNames(store.db);
  if (named.size !== players.length) throw new Error("not everybody is named");
  const [season, ...parts] = await Promise.all([
    store.db.get(keys.season(id)),
    ...(await store.db.query({ pk: keys.seasonPart(id, 0).pk }, 100)).items,
  ]);
  const sizes = [season, ...parts].map((item) => sizeOfItem(item ?? {}));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const say = players.length.toLocaleString("en");
  const figures = {
    items: sizes.length,
    "bytes stored": total,
    "largest item": Math.max(...sizes),
    "bytes of the response": bytes,
  };
  return {
    row: {
      season: `${say} players, all infected`,
      ...figures,
      "units of the present": present.read,
      "units of the past": past.read,
      "new season: read": reset.read,
      "new season: write": reset.write,
      "new season: seconds": seconds.toFixed(1),
    },
    targets: [
      atMost(`recap, ${say} players: writes of the transaction`, figures.items + 1, MOST.writes),
      atMost(`recap, ${say} players: bytes of the transaction`, total, MOST.transaction),
      atMost(`recap, ${say} players: bytes of an item`, figures["largest item"], MOST.item),
      atMost(`recap, ${say} players: bytes of the response`, bytes, MOST.response),
      atMost(`recap, ${say} players: units to read it`, past.read, 50 + players.length * 0.03),
      atMost(`recap, ${say} players: units to make it`, present.read, 150 + players.length * 0.6),
    ],
  };
};
