// Questions put to an endpoint lately, read once, and their short answers: asked again, one costs its metering alone.

import { type Answer, type Endpoint, type Form, hasVersions, type Prepared } from '../contract/endpoint.ts';
import { readInput } from '../contract/input.ts';
import type { Refusal } from '../contract/refusal.ts';
import { Recent } from '../recent.ts';
import type { Release } from '../release/reader.ts';
import type { DataTold } from './data-told.ts';
import { cacheHeaders, etagOf } from './negotiate.ts';

/** A question as it was put to one release on one day, for one form of answer; the same ETag is the same answer. */
export type Asked = {
  readonly prepared: Prepared;
  readonly releaseId: string;
  readonly today: number;
  readonly form: Form;
  readonly etag: string;
  /** How its answer may be kept. */
  readonly caching: readonly string[];
  /** Where it is kept, and what its reply says of the data. */
  answer: Answer | undefined;
  told: DataTold | undefined;
};

type Question = { readonly prepared: Prepared | Refusal; lastAsked: Asked | undefined };

const questionsMost = 1_000;
const textCharsMost = 256;
/** A longer answer is worth less than its room: writing and sending it is most of what it costs. */
const answerCharsMost = 2_048;

export class Questions {
  readonly endpoint: Endpoint;
  readonly #lately = new Recent<string, Question>(questionsMost);

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** `text` is the query as it stands in the URL, after the question mark; for a POST the body. */
  find(text: string): Question {
    const known = this.#lately.get(text);
    if (known !== undefined) return known;
    const question = { prepared: this.#prepare(text), lastAsked: undefined };
    if (text.length <= textCharsMost) this.#lately.set(text, question);
    return question;
  }

  #prepare(text: string): Prepared | Refusal {
    const input = readInput(this.endpoint.method, text);
    return 'kind' in input ? input : this.endpoint.prepare(input);
  }

  /** The release is named by its id, so that one no longer served is not held in memory. */
  ask(
    question: Question,
    prepared: Prepared,
    release: Pick<Release, 'id'>,
    today: number,
    form: Form,
  ): Asked {
    const last = question.lastAsked;
    if (last?.releaseId === release.id && last.today === today && last.form === form) return last;
    const etag = etagOf(this.endpoint, prepared, release, today, form);
    const caching = cacheHeaders(this.endpoint, etag);
    const unanswered = { answer: undefined, told: undefined };
    const asked: Asked = { prepared, releaseId: release.id, today, form, etag, caching, ...unanswered };
    question.lastAsked = asked;
    return asked;
  }

  /** Only for what was answered at once: nothing but the release, the day and the question can be in it. */
  keep(asked: Asked, answer: Answer): void {
    if (!hasVersions(this.endpoint)) return;
    const text = answer.kind === 'tabulated' ? answer.csv : answer.json;
    if (text.length <= answerCharsMost) asked.answer = answer;
  }
}
