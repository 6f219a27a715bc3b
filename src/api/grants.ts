// Which number may start a batch Job? Its grant: a queue gives even numbers, each once. The odd
// number above a grant takes it back: a write that tests the grant then has no effect. Only this
// file uses the parity.

/** The first grant of a namespace that has had no ledger. */
export const FIRST_GRANT = 2;

/** The grant that comes `count` grants after this one. */
export const grantAfter = (grant: number, count = 1): number => grant + 2 * count;

/** The smallest grant that is not below this number. */
export const grantFrom = (least: number): number => least + (least % 2);

/**
 * The next grant of a namespace whose ledger was lost: it is above all earlier ones, since no queue
 * gives two grants each millisecond.
 */
export const grantAt = (now: number): number => 2 * Math.floor(now);

/** Does the number take a grant back? */
export const takesBack = (number: number): boolean => number % 2 === 1;

/** The number that takes this grant back, or takes it back once more: it is above both. */
export const takenBack = (grant: number): number => grant + 1 + (grant % 2);

/** The number that takes a grant back, also if it was taken back already. */
export const stillTakenBack = (number: number): number =>
  takesBack(number) ? number : takenBack(number);

/** The grant itself, also of a number that takes it back. */
export const grantOf = (number: number): number => number - (number % 2);
