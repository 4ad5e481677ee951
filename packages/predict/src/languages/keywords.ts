// The words that languages keep for themselves, with the names of their own types. Words that are kept only in some places
// and are names elsewhere (`of`, `type`, `get`, `record`) are not here.

export const JAVASCRIPT = `async await break case catch class const continue debugger default delete do else enum export
	extends false finally for function if import in instanceof let new null return static super switch this throw true
	try typeof undefined var void while with yield`;

export const TYPESCRIPT = `${JAVASCRIPT} abstract any as asserts bigint boolean declare implements infer interface keyof
	namespace never number private protected public readonly satisfies string symbol unique unknown`;

export const PYTHON = `False None True and as assert async await break class continue def del elif else except finally for
	from global if import in is lambda nonlocal not or pass raise return self try while with yield`;

export const RUST = `Self as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i128
	i16 i32 i64 i8 if impl in isize let loop match mod move mut pub ref return self static str struct super trait true type
	u128 u16 u32 u64 u8 unsafe use usize where while`;

export const GO = `any bool break byte case chan complex128 complex64 const continue default defer else error fallthrough
	false float32 float64 for func go goto if import int int16 int32 int64 int8 interface iota map nil package range return
	rune select string struct switch true type uint uint16 uint32 uint64 uint8 uintptr var`;

export const JAVA = `abstract assert boolean break byte case catch char class const continue default do double else enum
	extends false final finally float for goto if implements import instanceof int interface long native new null package
	private protected public return short static strictfp super switch synchronized this throw throws transient true try
	var void volatile while`;

export const C = `auto bool break case char const continue default do double else enum extern false float for goto if inline
	int long register restrict return short signed sizeof static struct switch true typedef union unsigned void volatile
	while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local NULL`;

export const CPP = `${C} alignas alignof and asm bitand bitor catch char16_t char32_t char8_t class co_await co_return
	co_yield compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export friend
	mutable namespace new noexcept not nullptr operator or private protected public reinterpret_cast requires
	static_assert static_cast template this thread_local throw try typeid typename using virtual wchar_t xor`;

export const CSHARP = `abstract as async await base bool break byte case catch char checked class const continue decimal
	default delegate do double else enum event explicit extern false finally fixed float for foreach goto if implicit in int
	interface internal is lock long namespace new null object operator out override params private protected public
	readonly ref return sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint
	ulong unchecked unsafe ushort using var virtual void volatile while yield`;

export const RUBY = `BEGIN END __FILE__ __LINE__ alias and begin break case class def defined do else elsif end ensure false
	for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield`;

export const PHP = `abstract and array as bool break callable case catch class clone const continue declare default do echo
	else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum extends false final finally float fn for
	foreach function global goto if implements include include_once instanceof insteadof int interface isset iterable list
	match mixed namespace never new null or parent print private protected public readonly require require_once return
	self static string switch throw trait true try unset use var void while xor yield`;

// For languages of which no more is known than how they write comments.
export const COMMON = `abstract and as async await break case catch class const continue def default defer do else elif end
	enum export extends extern false final finally fn for fun func function if import in interface is let local module
	namespace new nil none not null or override package private protected public return static struct super switch then
	this throw trait true try type typeof until use using val var void when where while with yield`;
