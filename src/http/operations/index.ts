import type { Operation } from './operation';
import * as gameEngine from './game-engine';
import * as operator from './operator';
import * as others from './player-and-service';

export { CALLBACKS, type Callback } from './callbacks';
export { COMMON_ERRORS, type Caller, type MediaType, type Operation } from './operation';

/** Every operation that the service answers. */
export const OPERATIONS: readonly Operation[] = [gameEngine, operator, others].flatMap((group) =>
  Object.values(group),
);
