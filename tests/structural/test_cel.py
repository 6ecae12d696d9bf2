"""Functions Kubernetes adds to CEL: the examples of its own documentation, and what fails."""

from typing import Any

import pytest

from structural.cel.expressions import Failed, Malformed, Unsupported, compile_expression, run


def value(source: str, self: Any = None) -> Any:
    return run(compile_expression(source), self, None, False)


TRUE = r"""
quantity('1.5G').compareTo(quantity('1500M')) == 0
quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')
quantity('50k').sub(20000).asApproximateFloat() == 30000.0
!isQuantity('200K') && isQuantity('10000k') && !isQuantity('1,3G') && !isQuantity('Mi')
sign(quantity('-1')) == -1 && quantity('-1').sign() == -1
quantity('50Mi').isGreaterThan(quantity('50M'))
url('https://[::1]:80/path?k1=a&k2=b&k2=c').getHostname() == '::1'
url('https://example.com:80/').getHost() == 'example.com:80' && url('https://example.com/').getPort() == ''
url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'
url('https://example.com/path?k1=a&k2=b&k2=c').getQuery() == { 'k1': ['a'], 'k2': ['b', 'c']}
!isURL('../x') && !isURL('https://a:b:c/') && isURL('/absolute')
isIP('127.0.0.1') && !isIP('127.0.0.256') && !isIP('::ffff:1.2.3.4') && ip('::1').family() == 6
ip.isCanonical('::1') && !ip.isCanonical('2001:DB8::1')
cidr('192.168.0.0/24').containsIP(ip('192.168.0.1')) && cidr('192.168.0.0/24').containsIP('192.168.0.7')
cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')
cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')
cidr('::1/128').prefixLength() == 128
cidr('192.168.0.1/24').ip() == ip('192.168.0.1') && !isCIDR('1.2.3.4')
[1,2,2].isSorted()
['b','a'].min() == 'a'
[1,2].sum() == 3
[1.5].sum() == 1.5
[].sum() == 0
[1,2,2].lastIndexOf(2) == 2
['a'].indexOf('b') == -1
'abc'.substring(1) == 'bc'
'abc'.charAt(0) == 'a'
' x '.trim() == 'x'
'aXa'.lowerAscii() == 'axa'
'abab'.replace('a','c',1) == 'cbab'
'a,b,c'.split(',',2) == ['a','b,c']
['a','b'].join('-') == 'a-b'
'abc'.indexOf('c') == 2
'abc 123'.find('[0-9]+') == '123'
'123 abc 456'.findAll('[0-9]+') == ['123','456']
'123 abc 456'.findAll('[0-9]+',1) == ['123']
'%s has %d of %.2f and %s'.format(['a', 3, 1.5, ['x', 1]]) == 'a has 3 of 1.50 and ["x", 1]'
!format.dns1123Label().validate('abc').hasValue() && format.dns1123Label().validate('aBc').hasValue()
format.dns1123Label().validate('aBc').value().size() == 1
semver('1.2.3').isLessThan(semver('1.10.0'))
semver('1.2.3').minor() == 2
isSemver('v1.0', true)
!isSemver('v1.0.0')
sets.contains([1,2],[2]) && sets.intersects([1],[1,2]) && sets.equivalent([1,1],[1])
self.existsOne(x, x == 1)
has(self[0].x) || true
1 < 1.5
duration('1h') > duration('30m') && timestamp('2020-01-01T00:00:00Z').getFullYear() == 2020
['a','b'].all(x, x in ['a','b']) && {'a': 1}.all(k, k == 'a')
'é日本'.size() == 3
"""


@pytest.mark.parametrize("source", TRUE.split("\n")[1:-1])
def test_holds(source: str) -> None:
    assert value(source, [1]) is True


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("self[3] == 1", "index out of bounds: 3"),
        ("{'a': 1}['b'] == 1", "no such key: b"),
        ("1 / self[0] == 1", "division by zero"),
        ("self[0] + 9223372036854775807 + 1 > 0", "integer overflow"),
        ("self[0] > 'a'", "no such overload"),
        ("[].min() == 1", "min called on empty list"),
        ("'abc'.substring(4) == ''", "index out of range: 4"),
        ("ip('x').family() == 4", 'IP Address "x" parse error during conversion from string'),
        ("quantity('1').major() == 1", "no such overload"),
    ],
)
def test_fails_in_the_words_of_cel_go(source: str, message: str) -> None:
    with pytest.raises(Failed) as failed:
        value(source, [0])
    assert str(failed.value) == message


def test_what_is_no_cel() -> None:
    with pytest.raises(Malformed, match="Syntax error"):
        compile_expression("self.a ==")


def test_what_cannot_be_run_here() -> None:
    with pytest.raises(Unsupported, match="undeclared reference"):
        compile_expression("self.all(i, v, v > 0)")


def test_old_values_as_optionals() -> None:
    grows = compile_expression("!oldSelf.hasValue() || self >= oldSelf.value()", optional=True)
    assert run(grows, 1, None, False) is True
    assert run(grows, 1, 2, True) is False
    assert run(grows, 3, 2, True) is True
