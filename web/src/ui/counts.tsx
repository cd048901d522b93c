/** The numbers of players in each state, without those who do not take part. */
import { counterOf, TAKING_PART } from "../../../lib/domain/players/states.ts";
import type { Game } from "../state/api.ts";
import { en } from "../text/en.ts";
import "./counts.css";

export const Counts = ({ counts }: Pick<Game, "counts">) => (
  <ul class="counts">
    {TAKING_PART.map((state) => {
      const counter = counterOf(state);
      return (
        <li key={state} data-state={state}>
          <strong class="number">{counts[counter]}</strong> {en.counts[counter](counts[counter])}
        </li>
      );
    })}
  </ul>
);
