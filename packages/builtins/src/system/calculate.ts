import { ToolFault } from '@fairlead/extension';
import type { MathNode } from 'mathjs';
import { toolFault } from '../errors.ts';
import { calculateLimits } from '../limits.ts';

/** Each costs the same whatever its arguments are, so that a short expression is a fast one. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  ...['abs', 'ceil', 'fix', 'floor', 'round', 'sign', 'sqrt', 'cbrt', 'nthRoot', 'square', 'cube', 'hypot'],
  ...['exp', 'expm1', 'log', 'log10', 'log1p', 'log2', 'pow', 'mod', 'gcd', 'lcm', 'factorial', 'gamma'],
  ...[
    'sin',
    'cos',
    'tan',
    'asin',
    'acos',
    'atan',
    'atan2',
    'sinh',
    'cosh',
    'tanh',
    'asinh',
    'acosh',
    'atanh',
  ],
  ...['min', 'max', 'mean', 'median', 'sum', 'ln'],
]);

const CONSTANTS: ReadonlySet<string> = new Set(['pi', 'e', 'tau', 'phi', 'PI', 'E', 'true', 'false']);

/** What `calculate` knows, for its description. */
export const calculatorWords = `Functions: ${[...FUNCTIONS].join(', ')}. Constants: pi, e, tau, phi.`;

/**
 * The value of an arithmetic expression. Only numbers, operators, the functions and constants named above may stand in it: nothing that
 * defines, imports, indexes or makes lists. The library is loaded at the first call.
 *
 * `expression_invalid`, `completed`: with the reason.
 */
export async function calculate(expression: string): Promise<string> {
  if (expression.length > calculateLimits.expressionMax)
    throw invalid(`it is longer than ${calculateLimits.expressionMax} characters`);
  if (expression.trim() === '') throw invalid('it is empty');
  const math = await import('mathjs/number');
  let value: unknown;
  try {
    const node = math.parse(expression);
    node.traverse(check);
    value = node.evaluate(new Map([['ln', math.log]]));
  } catch (thrown) {
    if (thrown instanceof ToolFault) throw thrown;
    if (thrown instanceof RangeError) throw invalid('it is nested too deeply');
    // The parser's own words: a place in the expression, or a name.
    throw invalid(thrown instanceof Error ? thrown.message : 'it cannot be read');
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || Number.isNaN(value)) throw invalid('its result is no number');
  return math.format(value, { precision: calculateLimits.precision });
}

/** Refuses every kind of node, and every name, that is not one of ours. */
function check(node: MathNode, path: string, parent: MathNode | null): void {
  switch (node.type) {
    case 'ConstantNode': {
      const kind = typeof Reflect.get(node, 'value');
      if (kind !== 'number' && kind !== 'boolean') throw invalid('only numbers can be calculated with');
      return;
    }
    case 'SymbolNode': {
      const name = String(Reflect.get(node, 'name'));
      const known = path === 'fn' && parent?.type === 'FunctionNode' ? FUNCTIONS : CONSTANTS;
      if (!known.has(name)) throw invalid(`it does not know ${name.slice(0, 40)}`);
      return;
    }
    case 'OperatorNode':
    case 'ParenthesisNode':
    case 'FunctionNode':
    case 'ConditionalNode':
    case 'RelationalNode':
      return;
    default:
      throw invalid('it does more than calculate');
  }
}

function invalid(reason: string): ToolFault {
  return toolFault('completed', 'expression_invalid', reason);
}
