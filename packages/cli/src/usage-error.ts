import { FairleadError } from '@fairlead/base';

/** A command line that asks for something that cannot be meant. Exit status 2. */
export class UsageError extends FairleadError {
  constructor(message: string) {
    super('usage', message);
    this.name = 'UsageError';
  }
}
