/** Random choices of a command, from a few numbers. They shrink to 0, which is the simplest choice. */

export class Dice {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A number below a bound. */
  below(bound: number): number {
    const number = this.#numbers[this.#at % this.#numbers.length] ?? 0;
    // A number that is used again gives another value.
    const round = Math.floor(this.#at / this.#numbers.length);
    this.#at += 1;
    return (number + round * 31 * Math.sign(number)) % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  /** Some fields of a request, or none of them. */
  maybe<T extends object>(percent: number, fields: T): Partial<T> {
    return this.chance(percent) ? fields : {};
  }

  pick<const T>(from: readonly [T, ...T[]]): T {
    return from[this.below(from.length)] ?? from[0];
  }

  /** One of these; undefined if there are none. */
  maybeOne<T>(from: readonly T[]): T | undefined {
    return from[this.below(Math.max(1, from.length))];
  }

  /** One of these. @throws Error if there are none */
  one<T>(from: readonly T[]): T {
    const one = this.maybeOne(from);
    if (one === undefined) throw new Error("there is nothing to choose from");
    return one;
  }

  /** Usually one of the fitting values, sometimes any. @throws Error if there are none */
  prefer<T>(fitting: readonly T[], any: readonly T[]): T {
    return this.one(this.chance(7) || fitting.length === 0 ? any : fitting);
  }
}
