/** The numbers of humans, zombies and corpses. */
import type { Game } from "../state/api.ts";
import { en } from "../text/en.ts";
import "./counts.css";

export const Counts = ({ counts: { humans, zombies, corpses } }: Pick<Game, "counts">) => (
  <ul class="counts">
    <li data-state="human">
      <strong class="number">{humans}</strong> {en.counts.humans(humans)}
    </li>
    <li data-state="zombie">
      <strong class="number">{zombies}</strong> {en.counts.zombies(zombies)}
    </li>
    <li data-state="corpse">
      <strong class="number">{corpses}</strong> {en.counts.corpses(corpses)}
    </li>
  </ul>
);
