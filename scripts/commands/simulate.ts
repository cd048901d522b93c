/** `npm run simulate`: plays many seasons in memory, and shows how they go. */
import { writeFile } from "node:fs/promises";
import { runCommand } from "../cli/command.ts";
import { formatNumber } from "../cli/format.ts";
import { startProgress } from "../cli/progress.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { randomOf } from "../simulate/crowd.ts";
import { parseSeasons, parseSeed, parseVariants, type Variant } from "../simulate/options.ts";
import { svgPlot, terminalComparison, terminalPlot } from "../simulate/plot.ts";
import { formatEffect, formatSummaries } from "../simulate/report.ts";
import { playSeason } from "../simulate/season.ts";
import { type Summary, summarize } from "../simulate/summary.ts";

const HELP = `Plays many seasons of a game in memory, by the rules of the service and a model of the players, and shows how long the
humans last and how many zombies starve. It needs no database. docs/simulator.md describes the model.

  npm run simulate -- --players 300 --feeding 48h --originals 3 --sharers 2
  npm run simulate -- --sweep feeding=24h,36h,48h
  npm run simulate -- --missions 6 --attendance 50 --food 12h --antidotes 2

  --players N       number of players; default 300
  --originals N     original zombies; default 3
  --days N          length of the game in days; default 7
  --feeding TIME    the feeding period, such as 48h or 2d, in play time; default 48h
  --sharers N       other zombies that a hunt may feed; default 2
  --play-hours H    the hours of each day in which the game is played, such as 08:00-22:00; default all
  --rate N          tags that an average zombie makes in a day while nearly everybody is human; default 1.2
  --missions N      evening missions, spread over the days; default 0. The same seasons without them are shown beside them
  --attendance N    percentage of the humans and of the hunting zombies who come to a mission; default 40
  --food TIME       how much longer a zombie lives who has come; default nothing
  --antidotes N     how many zombies who have come find an antidote, at each mission; default 0
  --sweep OPTION=A,B,C   compares up to six values of one of the options above
  --seasons N       number of seasons for each set of rules; default 1000
  --seed N          repeats a run
  --svg FILE        also writes the chart as an SVG
  --json            prints the figures, by hour, instead of the chart
`;

const OPTIONS = {
  players: { type: "string", default: "300" },
  originals: { type: "string", default: "3" },
  days: { type: "string", default: "7" },
  feeding: { type: "string", default: "48h" },
  sharers: { type: "string", default: "2" },
  rate: { type: "string", default: "1.2" },
  "play-hours": { type: "string" },
  missions: { type: "string" },
  attendance: { type: "string" },
  food: { type: "string" },
  antidotes: { type: "string" },
  sweep: { type: "string" },
  seasons: { type: "string", default: "1000" },
  seed: { type: "string" },
  svg: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

/** Plays the seasons of a variant. Its n-th season has the same random numbers as that of each other variant. */
const play = ({ name, rules }: Variant, seasons: number, seed: number, played: () => void): Summary => {
  const all = Array.from({ length: seasons }, (_, at) => {
    const season = playSeason(rules, randomOf(seed + at));
    played();
    return season;
  });
  return summarize(name, rules, all);
};

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const variants = parseVariants(values, values.sweep);
  const [seasons, seed] = [parseSeasons(values.seasons), parseSeed(values.seed)];
  const startedAt = performance.now();
  const progress = startProgress("Seasons", variants.length * seasons, "seasons");
  const summaries = variants.map((variant) => play(variant, seasons, seed, () => progress.add(1)));
  progress.end();
  const took = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (values.svg !== undefined) {
    await writeFile(values.svg, svgPlot(summaries)).catch((error: unknown) => {
      throw new UserError(`--svg ${values.svg} cannot be written: ${messageOf(error)}.`);
    });
  }
  if (values.json) {
    console.log(JSON.stringify({ seed, rules: variants, summaries }, null, 2));
    return 0;
  }
  const [first] = summaries;
  if (first !== undefined)
    console.log(summaries.length === 1 ? terminalPlot(first) : terminalComparison(summaries));
  console.log(`\n${formatSummaries(summaries)}\n`);
  const [, second] = summaries;
  const hasBoth = values.sweep === undefined && first !== undefined && second !== undefined;
  if (hasBoth) console.log(`${formatEffect(first, second)}\n`);
  console.log(
    `${formatNumber(seasons * variants.length)} seasons in ${took} s. Repeat them with --seed ${seed}.`,
  );
  return 0;
});
