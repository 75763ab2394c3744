// Questions that come together are asked together: one round trip for all of them, and one under way at a time, so that
// those which come meanwhile gather.

import { isWorthTheWay, type Pace, whileTurnsBring } from '../pace.ts';

type Waiting<Question, Answer> = {
  readonly question: Question;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: unknown) => void;
};

/** One answer each, in their order. What is promised for one of them keeps nobody else waiting. */
type AskAll<Question, Answer> = (
  questions: readonly Question[],
) => Promise<readonly (Answer | Promise<Answer>)[]>;

export class TurnBatch<Question, Answer> {
  readonly #pace: Pace;
  readonly #askAll: AskAll<Question, Answer>;
  readonly #most: number;
  #waiting: Waiting<Question, Answer>[] = [];
  #state: 'idle' | 'gathering' | 'asking' = 'idle';

  constructor(pace: Pace, most: number, askAll: AskAll<Question, Answer>) {
    this.#pace = pace;
    this.#most = most;
    this.#askAll = askAll;
  }

  add(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ question, resolve, reject });
    if (this.#state === 'idle') this.#gather();
    return promise;
  }

  #gather(): void {
    this.#state = 'gathering';
    whileTurnsBring(
      this.#pace,
      () => this.#waiting.length,
      () => void this.#ask(),
    );
  }

  async #ask(): Promise<void> {
    this.#state = 'asking';
    const batch = this.#waiting.splice(0, this.#most);
    const questions = batch.map(({ question }) => question);
    const answer = await this.#askAll(questions).then(
      (answers) => () => answerAll(batch, answers),
      (error: unknown) => () => {
        for (const { reject } of batch) reject(error);
      },
    );
    if (isWorthTheWay(this.#waiting.length, batch.length)) {
      void this.#ask();
      return this.#pace.endOfTurn(answer);
    }
    answer();
    if (this.#waiting.length === 0) this.#state = 'idle';
    else this.#gather();
  }
}

function answerAll<Question, Answer>(
  batch: readonly Waiting<Question, Answer>[],
  answers: readonly (Answer | Promise<Answer>)[],
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const answer = answers[index];
    if (answer === undefined) reject(new Error('a question was left without an answer'));
    else resolve(answer);
  }
}
