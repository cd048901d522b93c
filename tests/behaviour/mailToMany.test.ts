/** Mails to a crowd: none is lost and none sent twice, at the set rate, and nobody who asks for a link waits for them. */
import { expect, it, vi } from "vitest";
import { SECOND } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { share } from "../support/battery.ts";
import { mailEnvironment } from "../support/mailEnvironment.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { PASSWORD } from "../support/service.ts";
import { fill } from "../support/table.ts";

const { s, server, use, work } = mailEnvironment();

/** Puts players with confirmed addresses into the table. @returns the addresses in their order */
const bringCrowd = async (size: number): Promise<string[]> => {
  const crowd = (await makeCrowd(s, size, "human", s.now)).map((player, n) => ({
    ...{ ...player, email: `p${n}@example.com`, email_confirmed: true as const },
  }));
  await s.crowd(crowd);
  await fill(
    s.place(),
    crowd.map(({ player_id }) => ({ ...keys.credential(player_id), rev: 1, hash: "none" })),
  );
  return crowd.map(({ email }) => email);
};

const announce = async (): Promise<void> => {
  const body = { title: "Supply drop", content: "At the library.", player_groups: "All", also_email: true };
  await s.must("POST /notifications/send/{url_id}", { as: await s.admin(), body });
};

/** Notes when each mail arrives, in milliseconds since now. */
const noteArrivals = (): { to: string; at: number }[] => {
  const began = s.now;
  const arrivals: { to: string; at: number }[] = [];
  const { received } = server();
  const receive = received.push;
  vi.spyOn(received, "push").mockImplementation(function (this: never, ...mails) {
    arrivals.push(...mails.map(({ recipient }) => ({ to: recipient, at: s.now - began })));
    return receive.apply(this, mails);
  });
  return arrivals;
};

const MANY = share(1_000, 200);
const PER_SECOND = 4;

it(`an announcement to ${MANY} goes out at the set rate, to each once, and a link to confirm is not behind it`, async () => {
  const everyone = await bringCrowd(MANY);
  use({ perMinute: PER_SECOND * 60 });
  await announce();
  const arrivals = noteArrivals();
  await work(SECOND);
  await work((MANY / PER_SECOND / 4) * SECOND);
  const ahead = arrivals.length;
  expect(ahead).toBeGreaterThan(PER_SECOND);
  await s.must("POST /new", { body: { alias: "Zoe", password: PASSWORD, email: "zoe@example.com" } });
  await work(2 * (MANY / PER_SECOND) * SECOND);
  const addresses = arrivals.map(({ to }) => to);
  expect(addresses.toSorted()).toEqual([...everyone, "zoe@example.com"].toSorted());
  // Those whose turn it is meanwhile: a few, of the three quarters that wait.
  expect(addresses.indexOf("zoe@example.com")).toBeLessThan(ahead + MANY / 4);
  // At most five seconds' worth at once.
  for (const [index, { at }] of arrivals.entries())
    expect(at).toBeGreaterThanOrEqual((index / PER_SECOND - 6) * SECOND);
});
