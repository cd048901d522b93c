/** The game clock as anybody would keep it by hand: each zombie's own deadline on the wall, moved when it moves. */

const DAY = 86_400_000;

/** One life as a zombie: when it must have fed, and when it starved; in milliseconds since 1970. */
export interface Life {
  deadline: number;
  diedAt: number | null;
  /** Whether somebody has written the death down. */
  recorded: boolean;
}

/** Nothing here is read from the rules under test. */
export class NaiveClock {
  now: number;
  readonly period: number;
  paused = false;
  /** The last pause, resume or added day. */
  changedAt: number | null = null;
  readonly zombies: Life[] = [];

  constructor(now: number, period: number) {
    this.now = now;
    this.period = period;
  }

  get living(): Life[] {
    return this.zombies.filter(({ diedAt }) => diedAt === null);
  }

  pass(time: number): void {
    this.now += time;
    for (const zombie of this.living) {
      if (this.paused) zombie.deadline += time;
      else if (zombie.deadline <= this.now) zombie.diedAt = zombie.deadline;
    }
  }

  infect(deadline = this.now + this.period): Life {
    const life = { deadline, diedAt: null, recorded: false };
    this.zombies.push(life);
    return life;
  }

  /** A life that ends otherwise than by hunger. */
  cure(zombie: Life): void {
    this.zombies.splice(this.zombies.indexOf(zombie), 1);
  }

  feed(zombie: Life, at: number): void {
    if (zombie.diedAt === null) zombie.deadline = Math.max(zombie.deadline, at + this.period);
  }

  addDay(): void {
    for (const zombie of this.living) zombie.deadline += DAY;
    this.changedAt = this.now;
  }

  pause(): void {
    if (!this.paused) this.changedAt = this.now;
    this.paused = true;
  }

  resume(): void {
    if (this.paused) this.changedAt = this.now;
    this.paused = false;
  }
}
