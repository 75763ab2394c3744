// Live services as the contract knows them. An endpoint asks its context for one by its value and gets what that value
// promises, or nothing where the operator has not switched it on. Which services there are stands in upstream/.

/** What /datasets says of a live service. */
export type LiveFacts = {
  readonly name: string;
  readonly address: string;
  readonly publisher: string;
  readonly usedFor: string;
  /** What binds whoever uses its answers. */
  readonly terms: string;
};

/** `Api` is what can be asked of the service in the name of one account. */
export type OpenService<Api> = (account: string) => Api;

/** Each set of services that was opened has one of its own. */
export type LiveService<Api> = {
  readonly name: string;
  readonly opened: WeakMap<LiveServices, OpenService<Api>>;
};

/** The services that are open for one server. */
export class LiveServices {
  #facts: LiveFacts[] = [];
  #opened: LiveServices = this;
  #account = '';

  get facts(): readonly LiveFacts[] {
    return this.#facts;
  }

  add<Api>(service: LiveService<Api>, open: OpenService<Api>, facts: Omit<LiveFacts, 'name'>): void {
    service.opened.set(this, open);
    this.#facts.push({ name: service.name, ...facts });
  }

  /** The same services, asked in the name of an account: where they are slow, accounts take turns. */
  inNameOf(account: string): LiveServices {
    if (this.#facts.length === 0) return this;
    const services = new LiveServices();
    services.#facts = this.#facts;
    services.#opened = this.#opened;
    services.#account = account;
    return services;
  }

  find<Api>(service: LiveService<Api>): Api | undefined {
    return service.opened.get(this.#opened)?.(this.#account);
  }
}

/** What test keys are given: the sandbox asks nobody. */
export const noServices = new LiveServices();
