import { Caller } from '../caller.ts';
import { Recent } from '../recent.ts';
import type { Service } from '../service.ts';

const maxCallers = 1000;

/** Clients that are told apart by what they say of themselves, as nothing joins their requests. */
export class Callers {
  readonly #service: Service;
  readonly #callers = new Recent<Caller>(maxCallers);

  constructor(service: Service) {
    this.#service = service;
  }

  of(name: string): Caller {
    return this.#callers.touch(name, this.#callers.get(name) ?? new Caller(this.#service));
  }
}
