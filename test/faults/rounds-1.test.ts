// A third of the sixty rounds of npm test, so that no file takes long.
import { testRounds } from './rounds-in-test.ts';

testRounds(20, 0);
