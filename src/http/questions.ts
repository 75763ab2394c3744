// Questions put to an endpoint lately, read once, and their short answers: asked again, one costs its metering alone.

import { crc32 } from 'node:zlib';
import type { Endpoint, Form, Outcome, Prepared, Refusal } from '../contract/endpoint.ts';
import type { DatasetName } from '../datasets.ts';
import type { Release } from '../release/reader.ts';

export type Answer = {
  readonly outcome: Exclude<Outcome, Refusal>;
  /** Datasets that the X-Data headers speak of. */
  readonly speakers: readonly DatasetName[];
};

/** A question as it was put to one release on one day, for one form of answer; the same ETag is the same answer. */
export type Asked = {
  readonly releaseId: string;
  readonly today: number;
  readonly form: Form;
  readonly etag: string;
  answer: Answer | undefined;
};

export type Question = { readonly prepared: Prepared | Refusal; lastAsked: Asked | undefined };

/** Of each generation; the older one goes when the newer one is full. */
const questionsMost = 1_000;
const queryCharsMost = 256;
/** A longer answer is worth less than its room: writing and sending it is most of what it costs. */
const answerCharsMost = 2_048;

export class Questions {
  readonly endpoint: Endpoint;
  #newer = new Map<string, Question>();
  #older = new Map<string, Question>();

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** `query` as it stands in the URL, after the question mark. */
  find(query: string): Question {
    const known = this.#newer.get(query);
    if (known !== undefined) return known;
    const question = this.#older.get(query) ?? {
      prepared: this.endpoint.prepare(new URLSearchParams(query)),
      lastAsked: undefined,
    };
    if (query.length <= queryCharsMost) this.#remember(query, question);
    return question;
  }

  #remember(query: string, question: Question): void {
    if (this.#newer.size === questionsMost) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(query, question);
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
    const etag = etagOf(this.endpoint, release, prepared, today, form);
    const asked: Asked = { releaseId: release.id, today, form, etag, answer: undefined };
    question.lastAsked = asked;
    return asked;
  }

  /** Only for what was answered at once: nothing but the release, the day and the question can be in it. */
  keep(asked: Asked, answer: Answer): void {
    const { outcome } = answer;
    const text = outcome.kind === 'tabulated' ? outcome.csv : outcome.json;
    if (text.length <= answerCharsMost) asked.answer = answer;
  }
}

/** Weak: the body also carries the balance, which is no part of the answer. Answers may depend on today. */
function etagOf(
  { path }: Endpoint,
  { id }: Pick<Release, 'id'>,
  { canonical }: Prepared,
  today: number,
  form: Form,
): string {
  const meaning = form === 'json' ? `${path}?${canonical}` : `${path}?${canonical}#${form}`;
  return `W/"${id}.${today}.${crc32(meaning).toString(36)}"`;
}
